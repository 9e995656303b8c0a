/** What a chat shows of an event: the body of the incoming webhooks of Slack, and of what takes the same form. */
import { TEST_WORD } from './rules.ts';

interface StoredEvent {
  readonly event: string;
  readonly event_type: string;
  readonly experiment_id: string | null;
  readonly data: {
    readonly name?: string;
    readonly description?: string | null;
    readonly experiment_code?: string;
  };
}

/** Writes `{"text": …}`. `event` is the JSON of `writeEvent` or `writeTest`; `baseUrl` has no trailing slash. */
export function writeChatBody(event: string, baseUrl: string): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `body.ts` wrote it
  const { event: word, event_type: type, experiment_id: id, data } = JSON.parse(event) as StoredEvent;
  if (word === TEST_WORD)
    return JSON.stringify({ text: `This is a test. Events of ${baseUrl} arrive here.` });
  const head = `*${escapeText(data.name ?? type)}* · ${escapeText(data.experiment_code ?? '')}`;
  // The page of a deleted draft is gone. A bare address becomes a link in every chat.
  const page = id === null || type === 'experiment.deleted' ? null : `${baseUrl}/experiments/${id}`;
  const lines = [head, escapeText(data.description ?? ''), page];
  return JSON.stringify({ text: lines.filter((line) => line !== null && line !== '').join('\n') });
}

/** Without this a name such as `<!channel>` would call everybody: the three characters that Slack asks to escape. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
