/** Sends a form with files as a browser does. */
import type { Browser, Page } from './browser.ts';
import type { TestService } from './service.ts';

const BOUNDARY = '----form';

/** Sends the form of `page` whose action is `action`, with what was typed and the files of one of its fields. */
export async function sendFiles(
  { service }: Pick<TestService, 'service'>,
  browser: Browser,
  url: string,
  fields: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<Page> {
  const parts = [
    ...Object.entries(fields).map(([name, value]) => [`name="${name}"`, value] as const),
    ...Object.entries(files).map(([name, bytes]) => [`name="files"; filename="${name}"`, bytes] as const),
  ];
  const payload = Buffer.concat([
    ...parts.flatMap(([names, content]) => [
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; ${names}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]);
  const answer = await service.app.inject({
    method: 'POST',
    url,
    headers: {
      accept: 'text/html',
      cookie: browser.cookie,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    },
    payload,
  });
  const { location } = answer.headers;
  return { status: answer.statusCode, text: answer.body, location, headers: answer.headers };
}
