/** Enough to recognise it, too little to learn it. */
export function maskedEmail(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, 1)}••${address.slice(at)}`;
}

export function maskedNumber(number: string): string {
  return `••• ${number.replaceAll(/\D/g, '').slice(-3)}`;
}
