"""How far training is: `report` is what is told, `meter` where time goes, `told` to whom; scripts use `progress`."""
