"""The tables of the Bluetooth SIG's assigned numbers and value formats, as Swift sources."""
