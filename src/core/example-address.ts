/** The address in examples and guides: where a service listens that is told nothing else. */
export const EXAMPLE_ADDRESS = 'http://127.0.0.1:8080';

/** A reader copies from examples, so the pages of a service give its own address. */
export function writeOwnAddress(text: string, baseUrl: string): string {
  return text.replaceAll(EXAMPLE_ADDRESS, baseUrl);
}
