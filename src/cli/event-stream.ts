/** Server-sent events (HTML standard, §9.2), as far as this service sends them. */

export interface StreamedEvent {
  readonly id: string;
  /** Null for an event that only says where the stream is. */
  readonly data: string | null;
}

/** Reads events until the answer ends; an event is a block of lines, and each line a field. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamedEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield readBlock(block);
  }
}

function readBlock(block: string): StreamedEvent {
  let id = '';
  let data: string | null = null;
  for (const line of block.split('\n')) {
    if (line.startsWith('id:')) id = line.slice(3).trimStart();
    if (line.startsWith('data:')) data = line.slice(5).trimStart();
  }
  return { id, data };
}
