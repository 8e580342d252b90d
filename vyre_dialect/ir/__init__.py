"""What the IR consists of beside its ops: types, attributes, interfaces, text."""
