import { t } from '../../language/text.ts';
import { type CheckResult, type Evaluation, fails, isUnknown, passes, type ReadinessFacts, warns } from './rows.ts';

/** The rows about the configuration of the domain and its servers, from the checks of the domain. */

const openDomainPage = t('The page of the domain shows what to enter.');

function notYet({ domain, isAdded }: ReadinessFacts): Evaluation {
  if (isAdded) return isUnknown(t('We have not checked it yet.'));
  return isUnknown(
    t('Nobody has added {domain} here, so we do not check it.', { domain }),
    t('Ask an operator to add the domain.'),
  );
}

export function evaluateAuthentication(facts: ReadinessFacts): Evaluation {
  const { checks, isOfProvider } = facts;
  const dkim = checks.get(isOfProvider ? 'provider-records' : 'dkim');
  const spf = checks.get('spf');
  if (!dkim || dkim.verdict === 'unknown') return notYet(facts);
  if (isOfProvider && spf?.verdict === 'unknown') {
    return isGood(dkim)
      ? passes(t('The signature (DKIM) is right. The provider takes care of SPF.'))
      : fails(t('The signature (DKIM) is wrong.'), openDomainPage);
  }
  if (isGood(dkim) && spf && isGood(spf)) return passes(t('The signature (DKIM) and SPF are both right.'));
  if (isGood(dkim)) {
    return spf?.verdict === 'fail'
      ? warns(t('The signature (DKIM) is right, but SPF is not.'), openDomainPage)
      : warns(
          t('The signature (DKIM) is right. SPF is not checked.'),
          t('Set SMTP_SERVERS to the addresses of your mail servers.'),
        );
  }
  if (spf && isGood(spf)) return warns(t('SPF is right, but the signature (DKIM) is not.'), openDomainPage);
  return fails(t('Neither the signature (DKIM) nor SPF is right.'), openDomainPage);
}

export function evaluateAlignment(facts: ReadinessFacts): Evaluation {
  const { domain, checks } = facts;
  const { dkim_aligned, spf_aligned } = checks.get('alignment')?.evidence ?? {};
  if (dkim_aligned) return passes(t('The signature belongs to {domain}.', { domain }));
  if (dkim_aligned === undefined) return notYet(facts);
  if (spf_aligned) {
    const evidence = t('Only the return path belongs to {domain}. A forwarded email does not pass.', {
      domain,
    });
    return warns(evidence, t('Sign emails as {domain}.', { domain }));
  }
  return fails(
    t('Neither the signature nor the return path belongs to {domain}.', { domain }),
    t('Sign emails as {domain}.', { domain }),
  );
}

export function evaluateDmarc(facts: ReadinessFacts): Evaluation {
  const { domain, checks } = facts;
  const check = checks.get('dmarc');
  if (!check || check.verdict === 'unknown') return notYet(facts);
  const record = t('Add a TXT record at _dmarc.{domain}. Start with: v=DMARC1; p=none', { domain });
  if (check.reason === 'record-missing') return fails(t('There is no DMARC record.'), record);
  if (check.reason === 'several-records') return fails(t('There are several DMARC records.'), t('Delete all but one.'));
  if (check.reason === 'policy-invalid') {
    return fails(t('The DMARC record has no valid policy.'), t('Set p to none, quarantine or reject.'));
  }
  if (check.verdict === 'pass') return passes(t('The DMARC policy protects the domain.'));
  return warns(
    t('There is a DMARC record, which is enough to send. It does not yet protect the domain.'),
    t('Set p to quarantine once the reports show that all of your emails pass.'),
  );
}

export function evaluateEncryption(facts: ReadinessFacts): Evaluation {
  const { checks, isOfProvider } = facts;
  if (isOfProvider) return passes(t('We send emails to the provider over an encrypted connection.'));
  const check = checks.get('tls');
  if (!check) return notYet(facts);
  if (check.verdict === 'unknown') return isUnknown(t('We could not reach the mail server.'));
  if (check.verdict === 'pass') return passes(t('We send emails over an encrypted connection.'));
  if (check.verdict === 'warn') {
    return warns(
      t('Emails leave this machine without encryption, but not your network.'),
      t('Switch TLS on in the mail server.'),
    );
  }
  const evidence = new Map([
    ['no-tls', t('Emails leave your network without encryption.')],
    ['old-tls', t('The mail server uses a version of TLS that is too old.')],
  ]).get(check.reason);
  return fails(evidence ?? t('The certificate of the mail server is not valid.'), t('Fix TLS in the mail server.'));
}

export function evaluateServerName(facts: ReadinessFacts): Evaluation {
  const { checks, isOfProvider } = facts;
  if (isOfProvider) return isUnknown(t('The provider runs the servers.'));
  const check = checks.get('ptr');
  if (!check || check.reason === 'dns-error') return notYet(facts);
  if (check.verdict === 'pass') return passes(t('Each mail server has a name that points back to it.'));
  const ask = t('Ask the people who run the network of the server to set its PTR record.');
  switch (check.reason) {
    case 'not-checked':
      return warns(t('The names of the mail servers are not checked.'), t('Set SMTP_SERVERS to their addresses.'));
    case 'ptr-generic':
      return warns(t('The name of a mail server looks like that of a home connection.'), ask);
    case 'helo-differs':
      return warns(
        t('A mail server greets with a name that is not its name in DNS.'),
        t('Change the name it greets with.'),
      );
    case 'helo-not-a-name':
      return fails(t('The mail server does not greet with a full name.'), t('Change the name it greets with.'));
    default:
      return fails(t('A mail server has no name that points back to it.'), ask);
  }
}

export function evaluateFrom(facts: ReadinessFacts): Evaluation {
  const { domain, checks, isOfMailboxProvider } = facts;
  if (isOfMailboxProvider) {
    return fails(
      t('{domain} belongs to a mailbox provider. Gmail refuses such emails.', { domain }),
      t('Send from a domain of your own.'),
    );
  }
  const check = checks.get('from-domain');
  if (!check || check.verdict === 'unknown') return notYet(facts);
  if (check.verdict === 'pass') return passes(t('Emails come from {domain}, which accepts replies.', { domain }));
  const addMx = t('Add an MX record for {domain}.', { domain });
  if (check.verdict === 'warn')
    return warns(t('Emails come from {domain}, which does not accept replies.', { domain }), addMx);
  const evidence =
    check.reason === 'null-mx'
      ? t('{domain} says that it does not accept email.', { domain })
      : t('{domain} does not exist.', { domain });
  return fails(evidence, addMx);
}

/** Receivers do not refuse mail because of a warning, such as a short key. */
function isGood({ verdict }: CheckResult): boolean {
  return verdict === 'pass' || verdict === 'warn';
}
