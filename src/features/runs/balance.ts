/**
 * Balance of a plate: the members of a group (replicates of a sequence, wells of one control, samples of one
 * experiment) are spread over rows, columns, quadrants and the border, and members of one identity do not stand side by side.
 * The cost is the sum of squared counts per row, column and quadrant, the squared excess on the border, and a weight per
 * adjacent pair; seeded swaps lower it (simulated annealing, Kirkpatrick et al. 1983, Science 220, 671).
 */
export interface Site {
  readonly row: number;
  readonly column: number;
  /** From 0 to 3. */
  readonly quadrant: number;
  readonly isEdge: boolean;
}

export interface Member {
  /** Members of one identity are kept apart. */
  readonly identity: string;
  /** Members of one stratum are spread, and may stand side by side. */
  readonly stratum: string;
  /** Wells that the member takes; it changes places only with members of its size. */
  readonly size: number;
}

const ADJACENT_COST = 8;
const PROPOSALS_PER_SITE = 300;
const PROPOSALS_MAX = 60_000;
const START_TEMPERATURE = 3;
const END_TEMPERATURE = 0.05;

/** Returns the members in the order of the sites. Throws RangeError unless there are as many of both. */
export function spreadMembers<M extends Member>(
  members: readonly M[],
  sites: readonly Site[],
  drawWord: () => number,
): M[] {
  if (members.length !== sites.length) throw new RangeError('Every member needs one site.');
  const placed = new Placement(members, sites);
  const drawIndex = (count: number): number => drawWord() % count;
  const peers = listPeers(members);
  for (let at = members.length - 1; at > 0; at -= 1) {
    const own = peers[at] ?? [];
    placed.swap(at, own[drawIndex(own.length)] ?? at);
  }
  const proposals = Math.min(PROPOSALS_MAX, PROPOSALS_PER_SITE * members.length);
  for (let step = 0; step < proposals; step += 1) {
    const one = drawIndex(members.length);
    const own = peers[one] ?? [];
    const other = own[drawIndex(own.length)] ?? one;
    const chance = drawWord() / 4_294_967_296;
    const before = placed.computeLocalCost(one, other);
    placed.swap(one, other);
    const rise = placed.computeLocalCost(one, other) - before;
    const cooled = (END_TEMPERATURE / START_TEMPERATURE) ** (step / proposals);
    const isCold = step > 0.7 * proposals;
    if (rise > 0 && (isCold || chance >= Math.exp(-rise / (START_TEMPERATURE * cooled))))
      placed.swap(one, other);
  }
  return placed.listMembers();
}

/** Computes the cost of members that stand in the order of the sites. */
export function computeBalanceCost(members: readonly Member[], sites: readonly Site[]): number {
  return new Placement(members, sites).computeCost();
}

/** Whether two sites touch, diagonally too. */
export function isAdjacent(one: Pick<Site, 'row' | 'column'>, other: Pick<Site, 'row' | 'column'>): boolean {
  return Math.abs(one.row - other.row) <= 1 && Math.abs(one.column - other.column) <= 1;
}

/** For each site the sites whose members have the same size. Swaps keep this, because they keep sizes. */
function listPeers(members: readonly Member[]): number[][] {
  const bySize = Map.groupBy(members.keys(), (index) => members[index]?.size ?? 0);
  return members.map(({ size }) => bySize.get(size) ?? []);
}

interface Group {
  readonly rows: Int16Array;
  readonly columns: Int16Array;
  readonly quadrants: Int16Array;
  edge: number;
  /** Sum of the squared counts per row, column and quadrant. */
  squares: number;
  readonly expectedEdge: number;
  /** Sites of the members; null for a stratum, whose members may stand side by side. */
  readonly sites: Set<Site> | null;
}

interface Grouped<M> {
  readonly member: M;
  /** The groups of more than one member. */
  readonly groups: readonly Group[];
}

/** Members on sites, with the counts of each group. */
class Placement<M extends Member> {
  readonly #placed: Grouped<M>[];
  readonly #sites: readonly Site[];
  readonly #groups: readonly Group[];

  constructor(members: readonly M[], sites: readonly Site[]) {
    this.#sites = sites;
    const identities = createGroups(members, sites, ({ identity }) => identity, true);
    const strata = createGroups(members, sites, ({ stratum }) => stratum, false);
    this.#groups = [...identities.values(), ...strata.values()];
    this.#placed = members.map((member) => ({
      member,
      groups: [identities.get(member.identity), strata.get(member.stratum)].filter(
        (group) => group !== undefined,
      ),
    }));
    for (const at of members.keys()) this.#count(at, 1);
  }

  listMembers(): M[] {
    return this.#placed.map(({ member }) => member);
  }

  swap(one: number, other: number): void {
    const first = this.#placed[one];
    const second = this.#placed[other];
    if (one === other || first === undefined || second === undefined) return;
    this.#count(one, -1);
    this.#count(other, -1);
    this.#placed[one] = second;
    this.#placed[other] = first;
    this.#count(one, 1);
    this.#count(other, 1);
  }

  /** The cost of the groups of two sites: all that a swap of the two can change. */
  computeLocalCost(one: number, other: number): number {
    const groups = this.#placed[one]?.groups ?? [];
    let cost = 0;
    for (const group of groups) cost += computeGroupCost(group);
    for (const group of this.#placed[other]?.groups ?? [])
      if (!groups.includes(group)) cost += computeGroupCost(group);
    return cost;
  }

  computeCost(): number {
    return this.#groups.reduce((sum, group) => sum + computeGroupCost(group), 0);
  }

  #count(at: number, step: 1 | -1): void {
    const site = this.#sites[at];
    if (site === undefined) return;
    for (const group of this.#placed[at]?.groups ?? []) {
      group.squares +=
        addCount(group.rows, site.row, step) +
        addCount(group.columns, site.column, step) +
        addCount(group.quadrants, site.quadrant, step);
      if (site.isEdge) group.edge += step;
      if (step === 1) group.sites?.add(site);
      else group.sites?.delete(site);
    }
  }
}

function createGroups<M extends Member>(
  members: readonly M[],
  sites: readonly Site[],
  getKey: (member: M) => string,
  keepsApart: boolean,
): Map<string, Group> {
  const edgeShare = sites.filter(({ isEdge }) => isEdge).length / Math.max(1, sites.length);
  const rows = Math.max(0, ...sites.map(({ row }) => row)) + 1;
  const columns = Math.max(0, ...sites.map(({ column }) => column)) + 1;
  const groups = new Map<string, Group>();
  for (const [key, { length }] of Map.groupBy(members, getKey)) {
    if (length < 2) continue;
    groups.set(key, {
      rows: new Int16Array(rows),
      columns: new Int16Array(columns),
      quadrants: new Int16Array(4),
      edge: 0,
      squares: 0,
      expectedEdge: length * edgeShare,
      sites: keepsApart ? new Set() : null,
    });
  }
  return groups;
}

/** Changes a count and returns by how much its square changes. */
function addCount(counts: Int16Array, index: number, step: 1 | -1): number {
  const before = counts[index] ?? 0;
  counts[index] = before + step;
  return 2 * step * before + 1;
}

function computeGroupCost({ squares, edge, expectedEdge, sites }: Group): number {
  const cost = (edge - expectedEdge) ** 2 + squares;
  return sites === null ? cost : cost + ADJACENT_COST * countAdjacentPairs([...sites]);
}

function countAdjacentPairs(sites: readonly Site[]): number {
  let pairs = 0;
  for (const one of sites)
    for (const other of sites) {
      if (one === other) break;
      if (isAdjacent(one, other)) pairs += 1;
    }
  return pairs;
}
