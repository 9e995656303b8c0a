/** Whether whoever asks for a file wants its text itself, or the text within JSON, which is usual. */
export function isCsvWanted(accept = ''): boolean {
  const wanted = accept.split(',').map((part) => part.split(';')[0]?.trim());
  return wanted.find((media) => media === 'text/csv' || media === 'application/json') === 'text/csv';
}
