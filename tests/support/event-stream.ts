/** A client of server-sent events, in the little that tests need. */

export interface StreamedEvent {
  readonly id: string;
  readonly data: string;
}

/** Reads the events of an open answer until it ends or the caller stops; a field per line, a blank line per event. */
export async function* readEvents(answer: Response): AsyncGenerator<StreamedEvent> {
  if (answer.body === null) throw new Error('the stream has no body');
  let rest = '';
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => splitField(line)));
      const data = fields.get('data');
      if (data !== undefined) yield { id: fields.get('id') ?? '', data };
    }
  }
}

function splitField(line: string): [string, string] {
  const at = line.indexOf(':');
  return [line.slice(0, at), line.slice(at + 1).trimStart()];
}
