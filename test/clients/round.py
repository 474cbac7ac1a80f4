"""Every call of the official Python client; prints what came back as JSON."""

import io
import json
import os
import time

from notifications_python_client import prepare_upload
from notifications_python_client.errors import HTTPError
from notifications_python_client.notifications import NotificationsAPIClient

pennypost = os.environ["PENNYPOST"]
sms_template, email_template = os.environ["SMS_TEMPLATE"], os.environ["EMAIL_TEMPLATE"]
languages_template = os.environ["LANGUAGES_TEMPLATE"]
client = NotificationsAPIClient(os.environ["API_KEY"], base_url=pennypost)
personalisation = {"name": "Ada", "day": "Friday"}
address = {"address_line_1": "Ada Lovelace", "address_line_2": "12 St James’s Square", "address_line_3": "SW1Y 4JH"}


def eventually(call, is_good=lambda response: True):
    for _ in range(100):
        try:
            response = call()
            if is_good(response):
                return response
        except HTTPError:
            pass
        time.sleep(0.2)
    raise RuntimeError("never came true")


def start_of_pdf(notification_id):
    return eventually(lambda: client.get_pdf_for_letter(notification_id)).read(5).decode()


def refusal():
    try:
        client.send_sms_notification("07700900123", sms_template, {"name": "Ada"})
    except HTTPError as error:
        return {"status": error.status_code, "text": str(error)}


def greet(language):
    """The clients send no `language`: a value chooses."""
    values = {"name": "Ada", "language": language}
    return client.send_sms_notification("07700900123", languages_template, values)["content"]["body"]


sms = client.send_sms_notification("07700900123", sms_template, personalisation, reference="python")
email = client.send_email_notification("ada@example.org", email_template, personalisation)
upload = prepare_upload(io.BytesIO(b"a,b"), filename="figures.csv")
with_file = client.send_email_notification("ada@example.org", email_template, {"name": upload})
letter = client.send_letter_notification(os.environ["LETTER_TEMPLATE"], {**personalisation, **address})
with open(os.environ["LETTER_PDF"], "rb") as pdf:
    uploaded = client.send_precompiled_letter_notification("uploaded by python", pdf, postage="first")
fetched = eventually(lambda: client.get_notification_by_id(sms["id"]), lambda response: response["status"] == "delivered")
listed = client.get_all_notifications(template_type="sms", reference="python")["notifications"]
assert [one["id"] for one in client.get_all_notifications_iterator(reference="python")] == [sms["id"]]

print(
    json.dumps(
        {
            "text": sms["content"]["body"],
            "email_subject": email["content"]["subject"],
            "has_link_to_file": f"{pennypost}/d/" in with_file["content"]["body"],
            "letter_subject": letter["content"]["subject"],
            "uploaded_letter": {"reference": uploaded["reference"], "postage": uploaded["postage"]},
            "fetched": {key: fetched[key] for key in ("type", "status", "body")},
            "listed": [one["id"] == sms["id"] for one in listed],
            "templates": sorted(template["name"] for template in client.get_all_templates()["templates"]),
            "template": client.get_template(email_template)["name"],
            "first_version": client.get_template_version(sms_template, 1)["body"],
            "in_french": greet("fr-CA"),
            "preview_in_welsh": client.post_template_preview(languages_template, {"name": "Ada", "language": "cy"})["body"],
            "in_other_language": greet("pl"),
            "preview": client.post_template_preview(sms_template, personalisation)["body"],
            "received": [text["content"] for text in client.get_received_texts_iterator()],
            "pdf_of_letter": start_of_pdf(letter["id"]),
            "pdf_of_uploaded_letter": start_of_pdf(uploaded["id"]),
            "error": refusal(),
        }
    )
)
