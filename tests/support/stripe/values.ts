/** Reading values whose form is not known: what came over a wire or out of a file. */
export function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

export function toTexts(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(toRecord(value)).map(([name, text]) => [name, String(text)]));
}

export function toItems(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(toRecord) : [];
}
