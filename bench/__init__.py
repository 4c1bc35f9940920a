"""What is measured against what, side by side in one run. `script/bench` runs it."""
