/** Recognizes proteins that are made without a methionine of their own: antibody fragments and Fc fusions. */

/** The end of the third framework of a variable domain, such as DTAVYYC or DFATYYC (Kabat 86 to 92 of the heavy chain). */
const FRAMEWORK_3 = /D...Y[YFHSC]C/g;
/** The first cysteine of the domain and the tryptophan after its first loop (Kabat 22 and 36). */
const FRAMEWORK_1 = /C.{8,17}W/;
/** Residues in front of the end of the third framework in which the first cysteine lies. */
const DOMAIN_RESIDUES = 95;
/** The hinge of IgG1, IgG2 and IgG4, as in Fc fusions. */
const HINGE = /CP[PS]CP/;

export function hasAntibodyDomain(residues: string): boolean {
  if (HINGE.test(residues)) return true;
  for (const { index } of residues.matchAll(FRAMEWORK_3))
    if (FRAMEWORK_1.test(residues.slice(Math.max(0, index - DOMAIN_RESIDUES), index))) return true;
  return false;
}
