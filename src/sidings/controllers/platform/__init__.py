"""OpenShift AI's switches: their objects report what runs, and turn parts of the stack on and off."""
