import jakarta.mail.*;
import jakarta.mail.internet.*;
import java.util.Properties;

/** Sends one email with Jakarta Mail, as Spring and Keycloak do: text and HTML, over STARTTLS. */
public class Mail {
    public static void main(String[] words) throws Exception {
        Properties settings = new Properties();
        settings.put("mail.smtp.host", "127.0.0.1");
        settings.put("mail.smtp.port", System.getenv("PORT"));
        settings.put("mail.smtp.auth", "true");
        settings.put("mail.smtp.starttls.enable", "true");
        settings.put("mail.smtp.starttls.required", "true");
        settings.put("mail.smtp.ssl.trust", "127.0.0.1");
        settings.put("mail.smtp.ssl.checkserveridentity", "false");
        Session session = Session.getInstance(settings, new Authenticator() {
            @Override
            protected PasswordAuthentication getPasswordAuthentication() {
                return new PasswordAuthentication("pennypost", System.getenv("API_KEY"));
            }
        });
        MimeMessage message = new MimeMessage(session);
        message.setFrom(new InternetAddress("software@example.org"));
        message.setRecipients(Message.RecipientType.TO, "java@example.org");
        message.setSubject(System.getenv("SUBJECT"), "utf-8");
        MimeBodyPart text = new MimeBodyPart();
        text.setText(System.getenv("TEXT"), "utf-8");
        MimeBodyPart html = new MimeBodyPart();
        html.setContent("<p>Not read, because there is a text</p>", "text/html; charset=utf-8");
        message.setContent(new MimeMultipart("alternative", text, html));
        Transport.send(message);
    }
}
