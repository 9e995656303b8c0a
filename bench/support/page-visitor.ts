/** Somebody who is signed in and opens pages as a browser without scripts does. */
export class PageVisitor {
  readonly #baseUrl: string;
  readonly #cookie: string;

  private constructor(baseUrl: string, cookie: string) {
    this.#baseUrl = baseUrl;
    this.#cookie = cookie;
  }

  /** Signs in with a link that works once. */
  static async signIn(baseUrl: string, path: string): Promise<PageVisitor> {
    const page = await fetch(baseUrl + path, { headers: { accept: 'text/html' } });
    const fields = [...(await page.text()).matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value],
    );
    const answer = await fetch(baseUrl + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { accept: 'text/html', cookie: readCookie(page) },
      body: new URLSearchParams(Object.fromEntries(fields)),
    });
    if (answer.status !== 303) throw new Error(`signing in answered ${answer.status}`);
    return new PageVisitor(baseUrl, readCookie(answer));
  }

  /** Throws unless the page is there and says `expected`. */
  async open(path: string, expected: string): Promise<void> {
    const headers = { accept: 'text/html', cookie: this.#cookie };
    const answer = await fetch(this.#baseUrl + path, { headers, redirect: 'manual' });
    const text = await answer.text();
    if (answer.status !== 200 || !text.includes(expected))
      throw new Error(`${path} answered ${answer.status}, without “${expected}”`);
  }
}

function readCookie({ headers }: Response): string {
  return headers
    .getSetCookie()
    .map((set) => set.split(';')[0])
    .join('; ');
}
