"""Effects of interventions: identified through labels, proved not to be, bounded, estimated."""
