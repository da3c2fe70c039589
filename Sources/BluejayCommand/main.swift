print("not there yet")
