import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runAtOnce } from '#core/slices.ts';
import { duplicateWarnings, findSequenceWarnings } from './quality.ts';
import type { SequenceWarning, SequenceWarningCode, SequenceWarningOptions } from './quality.ts';

/** 60 residues without any warning: starts with M, no Cys, no motif, mixed composition, W and Y present. */
const PLAIN = 'MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGEGTQDKLSWAEKAVQVKVT';

function find(
  aaString: string,
  code: SequenceWarningCode,
  options?: SequenceWarningOptions,
): SequenceWarning | undefined {
  return findSequenceWarnings('design-1', aaString, options).find((warning) => warning.code === code);
}

function has(aaString: string, code: SequenceWarningCode, options?: SequenceWarningOptions): boolean {
  return find(aaString, code, options) !== undefined;
}

/** PLAIN repeated to a length. */
function repeatPlain(length: number): string {
  return PLAIN.repeat(Math.ceil(length / PLAIN.length)).slice(0, length);
}

describe('sequenceWarnings', () => {
  it('sequence warnings: an ordinary sequence → none', () => {
    assert.deepEqual(findSequenceWarnings('design-1', PLAIN), []);
    assert.deepEqual(findSequenceWarnings('design-1', `${PLAIN}:${PLAIN}`), []);
  });

  it('sequence warnings: lower case → the same warnings', () => {
    const text = `${PLAIN.slice(1)}C`;
    assert.deepEqual(findSequenceWarnings('a', text.toLowerCase()), findSequenceWarnings('a', text));
  });

  it('sequence warnings: any warning → names the sequence, the chain and a sentence', () => {
    const warning = find(`${PLAIN}:MKTAYW`, 'chain_short');
    assert.equal(warning?.sequence, 'design-1');
    assert.equal(warning?.chain, 2);
    assert.match(warning?.message ?? '', /^Chain 2 has 6 residues; .+\.$/);
  });

  it('sequence warnings: a condition that holds several times → one warning per code', () => {
    const warnings = findSequenceWarnings('a', 'AAC:ACG:NGS:NGS');
    assert.equal(new Set(warnings.map((warning) => warning.code)).size, warnings.length);
  });

  it('chain_short: fewer than 30 residues → a warning', () => {
    assert.ok(has(PLAIN.slice(0, 29), 'chain_short'));
    assert.ok(!has(PLAIN.slice(0, 30), 'chain_short'));
  });

  it('chain_long: more than 400 residues in a chain → a warning; as many in two chains → none', () => {
    assert.ok(has(repeatPlain(401), 'chain_long'));
    assert.ok(!has(repeatPlain(400), 'chain_long'));
    assert.ok(!has(`${repeatPlain(300)}:${repeatPlain(300)}`, 'chain_long'));
  });

  it('total_long: more than 1,000 residues in all chains → a warning', () => {
    assert.ok(has(`${repeatPlain(600)}:${repeatPlain(401)}`, 'total_long'));
    assert.ok(!has(`${repeatPlain(600)}:${repeatPlain(400)}`, 'total_long'));
  });

  it('cysteine_odd: an odd number of cysteines over all chains → a warning', () => {
    assert.ok(has(`${PLAIN}C`, 'cysteine_odd'));
    assert.ok(!has(`${PLAIN}CAC`, 'cysteine_odd'));
    assert.ok(!has(`${PLAIN}C:${PLAIN}C`, 'cysteine_odd'));
  });

  it('cysteine_many: more than 8 cysteines in one chain → a warning', () => {
    assert.ok(has(`${PLAIN}${'CA'.repeat(9)}`, 'cysteine_many'));
    assert.ok(!has(`${PLAIN}${'CA'.repeat(8)}`, 'cysteine_many'));
    assert.ok(!has(`${PLAIN}${'CA'.repeat(5)}:${PLAIN}${'CA'.repeat(5)}`, 'cysteine_many'));
  });

  it('glycosylation_motif: N-X-S/T without proline, also overlapping → a warning with the positions', () => {
    const warning = find(`${PLAIN}NNSSA`, 'glycosylation_motif');
    assert.equal(warning?.position, 61);
    assert.match(warning?.message ?? '', /at 61, 62;/);
    assert.ok(has(`${PLAIN}NAT`, 'glycosylation_motif'));
    assert.ok(!has(`${PLAIN}NPSA`, 'glycosylation_motif'));
    assert.ok(!has(`${PLAIN}NAC`, 'glycosylation_motif'));
  });

  it('glycosylation_motif: many positions, or a second chain → the list is shortened, the chain is named', () => {
    assert.match(
      find(`${PLAIN}${'NAT'.repeat(7)}`, 'glycosylation_motif')?.message ?? '',
      /at 61, 64, 67, 70, 73 and 2 more;/,
    );
    assert.match(find(`${PLAIN}:${PLAIN}NAT`, 'glycosylation_motif')?.message ?? '', /at 61 \(chain 2\);/);
  });

  it('hydrophobic: GRAVY above 0.5 by Kyte and Doolittle → a warning', () => {
    const warning = find(`${PLAIN}${'LIVAFLVIAL'.repeat(4)}`, 'hydrophobic');
    assert.match(warning?.message ?? '', /GRAVY \d\.\d\d/);
    assert.ok(!has(PLAIN, 'hydrophobic'));
  });

  it('highly_charged: beyond ±20 at pH 7 in one chain → a warning', () => {
    assert.match(find(`${PLAIN}${'KAR'.repeat(12)}`, 'highly_charged')?.message ?? '', /\+2\d at pH 7/);
    assert.match(find(`${PLAIN}${'EAD'.repeat(14)}`, 'highly_charged')?.message ?? '', /−2\d at pH 7/);
    assert.ok(!has(`${PLAIN}${'KAE'.repeat(20)}`, 'highly_charged'));
  });

  it('homopolymer: six of one residue, but not a His tag → a warning with the position', () => {
    assert.equal(find(`${PLAIN}QQQQQQ`, 'homopolymer')?.position, 61);
    assert.ok(!has(`${PLAIN}QQQQQ`, 'homopolymer'));
    assert.ok(!has(`${PLAIN}${'H'.repeat(10)}`, 'homopolymer'));
    assert.ok(has(`${PLAIN}${'H'.repeat(11)}`, 'homopolymer'));
    assert.equal(find(`${PLAIN}:${PLAIN}GGGGGG`, 'homopolymer')?.chain, 2);
  });

  it('start_missing: chains without a first methionine → a warning that names them', () => {
    assert.ok(has(PLAIN.slice(1), 'start_missing'));
    assert.match(
      find(`${PLAIN}:${PLAIN.slice(1)}:${PLAIN.slice(1)}`, 'start_missing')?.message ?? '',
      /chain 2, 3;/,
    );
  });

  it('start_missing: antibody fragments and secreted constructs → no warning', () => {
    const vhh =
      'QVQLVESGGGLVQAGGSLRLSCAASGRTFSSYAMGWFRQAPGKEREFVAAISWSGGSTYYADSVKGRFTISRDNAKNTVYLQMNSLKPEDTAVYYCAAGDY';
    const kappa =
      'DIQMTQSPSSLSASVGDRVTITCRASQDVNTAVAWYQQKPGKAPKLLIYSASFLYSGVPSRFSGSRSGTDFTLTISSLQPEDFATYYCQQHYTTPPTFGQGTKVEIK';
    for (const fragment of [vhh, kappa, `${vhh}:${kappa}`, `HHHHHH${vhh}`])
      assert.ok(!has(fragment, 'start_missing'));
    assert.ok(!has(PLAIN.slice(1), 'start_missing', { antibody: true }));
    assert.ok(!has(`${PLAIN.slice(1)}DKTHTCPPCPAPELLGG`, 'start_missing'), 'an Fc fusion');
    assert.ok(!has(`METDTLLLWVLLLWVPGSTG${PLAIN}:${PLAIN.slice(1)}`, 'start_missing'), 'a leader');
    assert.ok(has(`${PLAIN.slice(1)}DAAAYYC`, 'start_missing'), 'the end of a framework alone');
  });

  it('signal_peptide: leaders of secreted proteins → a warning; cytosolic starts → none', () => {
    const leaders = [
      'METDTLLLWVLLLWVPGSTG',
      'MDMRVPAQLLGLLLLWLSGARC',
      'MEFGLSWVFLVAILKGVQC',
      'MKYLLPTAAAGLLLLAAQPAMA',
      'MKKTAIAIAVALAGFATVAQA',
      'MKWVTFISLLFLFSSAYS',
    ];
    for (const leader of leaders) assert.ok(has(leader + PLAIN, 'signal_peptide'), leader);
    const cytosolic = ['MSKGEELFTGVVPILVELDGDVNG', 'MVLSPADKTNVKAAWGKVGAHAGE', 'MKTAYIAKQRQISFVKSHFSRQLE'];
    for (const start of cytosolic) assert.ok(!has(start + PLAIN, 'signal_peptide'), start);
    assert.ok(!has(`${PLAIN}METDTLLLWVLLLWVPGSTG`, 'signal_peptide'));
  });

  it('internal_tag: His, Strep or FLAG inside the sequence → a warning; at its ends → none', () => {
    for (const tag of ['HHHHHH', 'WSHPQFEK', 'DYKDDDDK']) {
      assert.equal(find(PLAIN + tag + PLAIN, 'internal_tag')?.position, 61, tag);
      assert.ok(!has(`M${tag}${PLAIN}`, 'internal_tag'), tag);
      assert.ok(!has(`${PLAIN}GS${tag}`, 'internal_tag'), tag);
    }
    assert.ok(!has(`${PLAIN}SAWSHPQFEKGGGSGGGSGGSAWSHPQFEK`, 'internal_tag'));
  });

  it('low_complexity: repeats → a warning; linkers and helical bundles → none', () => {
    assert.equal(find(`${PLAIN}${'PGA'.repeat(12)}`, 'low_complexity')?.chain, 1);
    assert.ok(!has(`${PLAIN}${'GGGGS'.repeat(6)}${PLAIN}`, 'low_complexity'));
    assert.ok(!has(`MSPEELLKKAEELIKRALELAKEAVRLAEEAIRLAKEANDPELLKRALEIAKEAVKLAW`, 'low_complexity'));
  });

  it('low_complexity: repeats behind a linker → the position counts from the start of the chain', () => {
    const warning = find(`${PLAIN}${'GGGGS'.repeat(3)}${'PA'.repeat(20)}`, 'low_complexity');
    assert.equal(warning?.position, PLAIN.length + 15 + 1);
  });

  it('absorbance_blind: no W and no Y in any chain → a warning', () => {
    const blind = PLAIN.replaceAll(/[WY]/g, 'F');
    assert.ok(has(blind, 'absorbance_blind'));
    assert.ok(!has(`${blind}:${PLAIN}`, 'absorbance_blind'));
  });

  it('labile_motif: NG, DG and DP → one warning with all positions', () => {
    const warning = find(`${PLAIN}NGADGADPANG`, 'labile_motif');
    assert.equal(
      warning?.message,
      'Chemically labile motifs: NG (deamidation) at 61, 70; DG (isomerization) at 64; DP (acid cleavage) at 67.',
    );
    assert.equal(warning?.position, 61);
  });
});

describe('duplicateWarnings', () => {
  it('duplicate_sequence: repeats of a sequence → each later one names the first', () => {
    const entries = [
      { name: 'a', aaString: PLAIN },
      { name: 'b', aaString: `${PLAIN}A` },
      { name: 'c', aaString: PLAIN.toLowerCase() },
      { name: 'd', aaString: PLAIN },
    ];
    const warnings = runAtOnce(duplicateWarnings(entries));
    assert.deepEqual(
      warnings.map((warning) => [warning.code, warning.sequence, warning.chain]),
      [
        ['duplicate_sequence', 'c', null],
        ['duplicate_sequence', 'd', null],
      ],
    );
    assert.ok(warnings.every((warning) => warning.message.includes('“a”')));
  });

  it('duplicate_sequence: no repeat → no warning', () => {
    assert.deepEqual(runAtOnce(duplicateWarnings([{ name: 'a', aaString: PLAIN }])), []);
    assert.deepEqual(runAtOnce(duplicateWarnings([])), []);
  });
});
