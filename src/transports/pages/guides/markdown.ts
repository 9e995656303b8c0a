/** Turns the Markdown of a guide into markup: headings with anchors, links to pages of the service, no HTML of its own. */
import type { Marked as Parser, Tokens } from 'marked';
import { Markup, markup, type Part } from '#ui/markup.ts';
import { Marked } from 'marked';

export interface Heading {
  readonly id: string;
  readonly text: string;
  readonly depth: number;
}

export interface RenderedGuide {
  readonly body: Markup;
  readonly headings: readonly Heading[];
}

/** The address of the page to which a link of a guide leads; null for one that the service does not serve. */
export type FindAddress = (href: string) => string | null;

/** Renders Markdown. The parser is loaded with the first guide that somebody opens. */
export async function renderMarkdown(text: string, findAddress: FindAddress): Promise<RenderedGuide> {
  const headings: Heading[] = [];
  const parser = createParser(Marked, findAddress, headings);
  return { body: new Markup(await parser.parse(text)), headings };
}

/** The anchor that GitHub gives to a heading too, so that links between guides work in both places. */
function createAnchor(text: string, before: readonly Heading[]): string {
  const slug = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
  const count = before.filter((heading) => heading.text === text).length;
  return count === 0 ? slug : `${slug}-${count}`;
}

function createParser(Marked: typeof Parser, findAddress: FindAddress, headings: Heading[]): Parser {
  let tables = 0;
  let codes = 0;
  return new Marked({
    gfm: true,
    renderer: {
      html: () => '',
      image: ({ text }) => markup`${text}`.text,
      link({ href, tokens }) {
        const label = new Markup(this.parser.parseInline(tokens));
        const address = findAddress(href);
        return address === null ? label.text : markup`<a href="${address}">${label}</a>`.text;
      },
      heading({ depth, tokens, text }) {
        const title = text.replaceAll('`', '');
        const heading = { id: createAnchor(title, headings), text: title, depth };
        headings.push(heading);
        const label = new Markup(this.parser.parseInline(tokens));
        if (depth === 1) return markup`<h1>${label}</h1>`.text;
        const tag = new Markup(`h${depth}`);
        return markup`<${tag} id="${heading.id}">${label} <a class="anchor" href="#${heading.id}" aria-label="Link to ${title}">#</a></${tag}>`
          .text;
      },
      code({ text }) {
        codes += 1;
        return markup`<div class="code"><pre tabindex="0" id="code.${codes}"><code>${text}</code></pre><button type="button" class="quiet" data-copy="code.${codes}" hidden>Copy</button></div>`
          .text;
      },
      table(token) {
        tables += 1;
        const label = headings.at(-1)?.text ?? 'Guide';
        const renderCell = (cell: Tokens.TableCell): Markup =>
          new Markup(this.parser.parseInline(cell.tokens));
        const heads: Part = token.header.map((cell) => markup`<th scope="col">${renderCell(cell)}</th>`);
        const rows: Part = token.rows.map(
          (row) => markup`<tr>${row.map((cell) => markup`<td>${renderCell(cell)}</td>`)}</tr>`,
        );
        return markup`<div class="scroll" role="region" aria-label="Table ${tables}: ${label}" tabindex="0"><table><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table></div>`
          .text;
      },
    },
  });
}
