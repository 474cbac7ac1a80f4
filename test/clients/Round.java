import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.json.JSONArray;
import org.json.JSONObject;
import uk.gov.service.notify.LetterResponse;
import uk.gov.service.notify.Notification;
import uk.gov.service.notify.NotificationClient;
import uk.gov.service.notify.NotificationClientException;
import uk.gov.service.notify.ReceivedTextMessage;
import uk.gov.service.notify.SendEmailResponse;
import uk.gov.service.notify.SendLetterResponse;
import uk.gov.service.notify.SendSmsResponse;
import uk.gov.service.notify.Template;

/** Every call of the official Java client; prints the responses as JSON. */
public class Round {
  static final String pennypost = System.getenv("PENNYPOST");
  static final String smsTemplate = System.getenv("SMS_TEMPLATE");
  static final String emailTemplate = System.getenv("EMAIL_TEMPLATE");
  static final String languagesTemplate = System.getenv("LANGUAGES_TEMPLATE");
  static final NotificationClient client = new NotificationClient(System.getenv("API_KEY"), pennypost);
  static final Map<String, Object> personalisation = Map.of("name", "Ada", "day", "Friday");

  public static void main(String[] words) throws Exception {
    SendSmsResponse sms = client.sendSms(smsTemplate, "07700900123", personalisation, "java");
    SendEmailResponse email = client.sendEmail(emailTemplate, "ada@example.org", personalisation, null);
    JSONObject file = NotificationClient.prepareUpload("a,b".getBytes(StandardCharsets.UTF_8), "figures.csv");
    SendEmailResponse withFile = client.sendEmail(emailTemplate, "ada@example.org", Map.of("name", file), null);
    Map<String, Object> letterPersonalisation = new HashMap<>(personalisation);
    letterPersonalisation.put("address_line_1", "Ada Lovelace");
    letterPersonalisation.put("address_line_2", "12 St James’s Square");
    letterPersonalisation.put("address_line_3", "SW1Y 4JH");
    SendLetterResponse letter = client.sendLetter(System.getenv("LETTER_TEMPLATE"), letterPersonalisation, null);
    File pdf = new File(System.getenv("LETTER_PDF"));
    LetterResponse uploaded = client.sendPrecompiledLetter("uploaded by java", pdf, "first");
    Notification fetched = untilDelivered(sms.getNotificationId().toString());

    JSONArray listed = new JSONArray();
    for (Notification one : client.getNotifications(null, "sms", "java", null).getNotifications()) {
      listed.put(one.getId().equals(sms.getNotificationId()));
    }
    List<String> templates = new ArrayList<>();
    for (Template template : client.getAllTemplates(null).getTemplates()) templates.add(template.getName());
    templates.sort(null);
    JSONArray received = new JSONArray();
    for (ReceivedTextMessage text : client.getReceivedTextMessages(null).getReceivedTextMessages()) {
      received.put(text.getContent());
    }

    System.out.println(new JSONObject()
        .put("text", sms.getBody())
        .put("email_subject", email.getSubject())
        .put("has_link_to_file", withFile.getBody().contains(pennypost + "/d/"))
        .put("letter_subject", letter.getSubject())
        .put("uploaded_letter", new JSONObject()
            .put("reference", uploaded.getReference().orElse(""))
            .put("postage", uploaded.getPostage().orElse("")))
        .put("fetched", new JSONObject()
            .put("type", fetched.getNotificationType())
            .put("status", fetched.getStatus())
            .put("body", fetched.getBody()))
        .put("listed", listed)
        .put("templates", templates)
        .put("template", client.getTemplateById(emailTemplate).getName())
        .put("first_version", client.getTemplateVersion(smsTemplate, 1).getBody())
        .put("in_french", greet("fr-CA"))
        .put("preview_in_welsh", client.generateTemplatePreview(languagesTemplate, Map.of("name", "Ada", "language", "cy")).getBody())
        .put("in_other_language", greet("pl"))
        .put("preview", client.generateTemplatePreview(smsTemplate, personalisation).getBody())
        .put("received", received)
        .put("pdf_of_letter", startOfPdf(letter.getNotificationId().toString()))
        .put("pdf_of_uploaded_letter", startOfPdf(uploaded.getNotificationId().toString()))
        .put("error", refusal()));
  }

  /** The clients send no `language`: a value chooses. */
  static String greet(String language) throws Exception {
    return client.sendSms(languagesTemplate, "07700900123", Map.of("name", "Ada", "language", language), null).getBody();
  }

  static Notification untilDelivered(String id) throws Exception {
    for (int attempt = 0; attempt < 100; attempt += 1) {
      Notification found = client.getNotificationById(id);
      if (found.getStatus().equals("delivered")) return found;
      Thread.sleep(200);
    }
    throw new IllegalStateException("never delivered");
  }

  static String startOfPdf(String id) throws Exception {
    for (int attempt = 0; attempt < 100; attempt += 1) {
      try {
        return new String(client.getPdfForLetter(id), 0, 5, StandardCharsets.UTF_8);
      } catch (NotificationClientException notReady) {
        Thread.sleep(200);
      }
    }
    throw new IllegalStateException("never drawn");
  }

  static JSONObject refusal() {
    try {
      client.sendSms(smsTemplate, "07700900123", Map.of("name", "Ada"), null);
      return new JSONObject();
    } catch (NotificationClientException error) {
      return new JSONObject().put("status", error.getHttpResult()).put("text", error.getMessage());
    }
  }
}
