"""What TrainJob admission and the TrainJob controller must agree on: pure functions over a TrainJob and its runtime.

``words`` are the names Kubeflow Trainer gives to things; ``generation`` tells the 2.0/2.1 and the 2.2/2.3 form of a
TrainJob apart; ``overrides`` merges a TrainJob's patches into a runtime's template; ``resources`` counts what a node
is given; ``rules`` judges a TrainJob against its runtime. Building the JobSet is ``controllers/trainjob``'s.
"""
