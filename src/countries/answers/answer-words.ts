import type { AnswerWords } from '../profile/answers.ts';

/**
 * The languages that every profile starts with. Replies have only characters of the alphabet of text messages, so that each is one part.
 * The first word for yes is the example in files.
 */
export const answerWords = {
  en: {
    yes: ['yes', 'y', 'true', 't', '1', 'include', 'show'],
    no: ['no', 'n', 'false', 'f', '0', 'exclude', 'hide'],
    stop: ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'OPTOUT'],
    start: ['START', 'UNSTOP'],
    help: ['HELP'],
    stopReply: 'You will get no more texts from {service}. Reply START to get them again.',
    helpReply: '{service}: {help} Reply STOP to stop.',
    helpText: 'to get help, use the contact details on the website of this service.',
  },
  fr: {
    yes: ['oui', 'o', 'vrai', 'inclure', 'afficher'],
    no: ['non', 'faux', 'exclure', 'masquer'],
    stop: ['ARRET', 'ARRETE', 'ARRETER', 'DESABONNER'],
    start: ['DEBUT'],
    help: ['AIDE'],
    stopReply: 'Vous ne recevrez plus de SMS de {service}. Répondez START pour en recevoir à nouveau.',
    helpReply: '{service} : {help} Répondez STOP pour ne plus en recevoir.',
    helpText: "pour obtenir de l'aide, utilisez les coordonnées indiquées sur le site de ce service.",
  },
  de: {
    yes: ['ja', 'j', 'wahr', 'anzeigen'],
    no: ['nein', 'falsch', 'ausblenden'],
    stop: ['STOPP', 'ABMELDEN'],
    start: ['STARTEN'],
    help: ['HILFE'],
    stopReply: 'Sie erhalten keine SMS mehr von {service}. Antworten Sie START, um sie wieder zu erhalten.',
    helpReply: '{service}: {help} Antworten Sie STOP, um keine SMS mehr zu erhalten.',
    helpText: 'Hilfe erhalten Sie über die Kontaktdaten auf der Website dieses Dienstes.',
  },
  nl: {
    yes: ['ja', 'j', 'waar', 'tonen'],
    no: ['nee', 'neen', 'onwaar', 'verbergen'],
    stop: ['AFMELDEN', 'UITSCHRIJVEN'],
    start: ['AANMELDEN'],
    help: ['HULP'],
    stopReply: 'U krijgt geen berichten meer van {service}. Antwoord START om ze weer te krijgen.',
    helpReply: '{service}: {help} Antwoord STOP om geen berichten meer te krijgen.',
    helpText: 'voor hulp gebruikt u de contactgegevens op de website van deze dienst.',
  },
  es: {
    yes: ['sí', 'si', 's', 'verdadero', 'mostrar'],
    no: ['falso', 'ocultar'],
    stop: ['ALTO', 'BAJA'],
    start: ['INICIAR'],
    help: ['AYUDA'],
    stopReply: 'Ya no recibe SMS de {service}. Responda START para recibirlos de nuevo.',
    helpReply: '{service}: {help} Responda STOP para darse de baja.',
    helpText: 'para obtener ayuda, use los datos de contacto del sitio web de este servicio.',
  },
  cy: {
    yes: ['ie', 'oes', 'ydy', 'gwir', 'dangos'],
    no: ['na', 'nage', 'ffug', 'cuddio'],
    stop: ['STOPIO'],
    start: ['DECHRAU'],
    help: ['CYMORTH'],
    stopReply: "Ni chewch ragor o negeseuon testun gan {service}. Atebwch START i'w cael eto.",
    helpReply: '{service}: {help} Atebwch STOP i stopio.',
    helpText: 'i gael help, defnyddiwch y manylion cyswllt ar wefan y gwasanaeth hwn.',
  },
} satisfies Record<string, AnswerWords>;
