"""XGBoostJob: what the tracker of XGBoost wants to know (pkg/controller.v1/xgboost, Training Operator 1.9.4)."""
