"""Sends one email with Python's own SMTP client, as Django does: text and HTML, over STARTTLS."""

import os
import smtplib
import ssl
from email.message import EmailMessage

message = EmailMessage()
message["From"] = "software@example.org"
message["To"] = "python@example.org"
message["Subject"] = os.environ["SUBJECT"]
message.set_content(os.environ["TEXT"])
message.add_alternative("<p>Not read, because there is a text</p>", subtype="html")

trust = ssl.create_default_context(cafile=os.environ["CERTIFICATE"])
# The certificate of the test has a name, and the test connects to an address.
trust.check_hostname = False
with smtplib.SMTP("127.0.0.1", int(os.environ["PORT"])) as client:
    client.starttls(context=trust)
    client.login("pennypost", os.environ["API_KEY"])
    client.send_message(message)
