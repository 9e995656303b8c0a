/** `12.50` or `$12.50` in cents; a text that is no amount stays text, so that whoever checks it names the problem. */
export function parseCents(text: string): number | string {
  const match = /^\$?\s*(\d{1,12})(?:\.(\d{1,2}))?$/.exec(text);
  return match === null ? text : Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
}
