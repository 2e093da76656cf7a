"""Configuration of switches: tables read, checked, planned and written."""
