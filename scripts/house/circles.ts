/** Finds the circles of a directed graph: its strongly connected components of more than one node (Tarjan 1972). */
export function findCircles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const search = new Search(graph);
  for (const node of graph.keys()) search.visit(node);
  return search.circles;
}

class Search {
  readonly circles: string[][] = [];
  readonly #graph: ReadonlyMap<string, readonly string[]>;
  /** The order in which a node was first seen, and the earliest such order that it reaches. */
  readonly #seen = new Map<string, { readonly order: number; earliest: number }>();
  readonly #open: string[] = [];

  constructor(graph: ReadonlyMap<string, readonly string[]>) {
    this.#graph = graph;
  }

  visit(node: string): number {
    const known = this.#seen.get(node);
    if (known !== undefined) return known.earliest;
    const place = { order: this.#seen.size, earliest: this.#seen.size };
    this.#seen.set(node, place);
    this.#open.push(node);
    for (const next of this.#graph.get(node) ?? []) {
      if (!this.#graph.has(next)) continue;
      const isNew = !this.#seen.has(next);
      const reached = isNew ? this.visit(next) : (this.#seen.get(next)?.order ?? 0);
      if (isNew || this.#open.includes(next)) place.earliest = Math.min(place.earliest, reached);
    }
    if (place.earliest === place.order) this.#close(node);
    return place.earliest;
  }

  #close(node: string): void {
    const circle = this.#open.splice(this.#open.indexOf(node));
    if (circle.length > 1) this.circles.push(circle.sort());
  }
}
