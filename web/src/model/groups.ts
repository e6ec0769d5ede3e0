import type { Parameters } from "./payload.ts";
import type { Case } from "./run.ts";
import { parameterText } from "../text/parameters.ts";

/** The cases that one heat map compares: they differ in their method and in the parameter of its columns only. Floors are apart. */
export interface Group {
  title: string;
  cases: Case[];
  /** The fastest first. */
  methods: string[];
  columns: (string | number)[];
  /** The fastest case that makes only the necessary calls. */
  floor: Case | null;
  at(method: string, column: string | number): Case | undefined;
}

/** The parameter that makes the columns: the buffer, else the chunk, else the one with most values. */
export function axisOf(cases: Case[]): string | null {
  const values = valuesOf(cases);
  for (const name of ["buffer", "chunk"]) if (values.has(name)) return name;
  let most: string | null = null;
  for (const [name, list] of values) if (most === null || list.length > values.get(most)!.length) most = name;
  return most;
}

/** Every parameter with its values: numbers by size, texts as they came. */
export function valuesOf(cases: { parameters: Parameters }[]): Map<string, (string | number)[]> {
  const found = new Map<string, Set<string | number>>();
  for (const item of cases) {
    for (const [name, value] of Object.entries(item.parameters)) {
      if (!found.has(name)) found.set(name, new Set());
      found.get(name)!.add(value);
    }
  }
  return new Map([...found].map(([name, values]) => [name, [...values].sort(bySize)]));
}

const bySize = (a: string | number, b: string | number): number => (typeof a === "number" && typeof b === "number" ? a - b : 0);

/** The groups of at least two cases: the main one first, then the one with most cases. */
export function groupsOf(cases: Case[], axis: string | null, main: string): Group[] {
  const all = valuesOf(cases);
  const found = new Map<string, Case[]>();
  for (const item of cases) {
    const key = JSON.stringify([...all.keys()].filter((name) => name !== axis).map((name) => item.parameters[name] ?? null));
    found.set(key, [...(found.get(key) ?? []), item]);
  }
  const isMain = (group: Group): number => Number(group.cases.some((item) => item.id === main));
  const groups = [...found.values()].map((members) => group(members, axis, all, cases)).sort((a, b) => isMain(b) - isMain(a) || b.cases.length - a.cases.length);
  const several = groups.filter((group) => group.cases.length > 1);
  return several.length > 0 ? several : groups;
}

function group(members: Case[], axis: string | null, all: Map<string, (string | number)[]>, cases: Case[]): Group {
  const varying = [...all].filter(([name, values]) => name !== axis && (values.length > 1 || cases.some((item) => !(name in item.parameters))));
  const first = members[0]!.parameters;
  const texts = varying.filter(([name]) => name in first).map(([name]) => parameterText(name, first[name]!));
  const above = members.filter((item) => !item.floor);
  const shown = above.length > 0 ? above : members;
  const cells = new Map(shown.map((item) => [`${item.method}\n${axis === null ? "" : item.parameters[axis] ?? ""}`, item]));
  return {
    title: texts.join(", ") || "all cases",
    cases: shown,
    methods: methodsByTime(shown),
    columns: axis === null ? [""] : valuesOf(shown).get(axis) ?? [""],
    floor: fastest(members.filter((item) => item.floor && item.method !== "RawSum")) ?? null,
    at: (method, column) => cells.get(`${method}\n${column}`),
  };
}

/** The fastest of some cases; undefined when none was measured. */
export const fastest = (cases: Case[]): Case | undefined =>
  cases.filter((item) => item.medianMs !== null).reduce<Case | undefined>((best, item) => (best && best.medianMs! <= item.medianMs! ? best : item), undefined);

/** The fastest case of each method, the fastest first. */
export const bestOfEach = (cases: Case[]): Case[] =>
  [...new Set(cases.map((item) => item.method))]
    .flatMap((method) => fastest(cases.filter((item) => item.method === method)) ?? [])
    .sort((a, b) => a.medianMs! - b.medianMs!);

// The fastest first; those without a time last.
const methodsByTime = (cases: Case[]): string[] => [...new Set([...bestOfEach(cases).map((item) => item.method), ...cases.map((item) => item.method)])];

// Parameters that a program may choose freely; all others change the work.
const tuned = ["buffer", "chunk"];

/** The cases of a group that do the same work, so that the fastest of them may be named. */
export const sameWork = (group: Group, axis: string | null, main: Case | null): Case[] => {
  if (axis === null || tuned.includes(axis) || group.columns.length < 2) return group.cases;
  const wanted = main && group.cases.includes(main) ? main.parameters[axis] : group.columns[0];
  return group.cases.filter((item) => item.parameters[axis] === wanted);
};
