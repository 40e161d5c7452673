"""The switches of OpenShift AI's platform as pure functions: what its objects turn on, and what they report."""
