/** The lists of `assayer list`; `assayer experiments list` is the same as `assayer list experiments`. */
export const listNames = [
  'experiments',
  'sequences',
  'targets',
  'quotes',
  'invoices',
  'results',
  'updates',
  'tokens',
] as const;

export type ListName = (typeof listNames)[number];

export function isListName(text: string): text is ListName {
  return listNames.some((name) => name === text);
}
