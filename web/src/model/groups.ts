import type { Parameters } from "./payload.ts";
import type { Case } from "./run.ts";
import { parameterText } from "../text/parameters.ts";

/** The cases that one heat map compares: they differ in their method and in the parameter of its columns only. */
export interface Group {
  title: string;
  cases: Case[];
  methods: string[];
  columns: (string | number)[];
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

/** The groups, the one with most cases first. */
export function groupsOf(cases: Case[], axis: string | null): Group[] {
  const all = valuesOf(cases);
  const found = new Map<string, Case[]>();
  for (const item of cases) {
    const key = JSON.stringify([...all.keys()].filter((name) => name !== axis).map((name) => item.parameters[name] ?? null));
    found.set(key, [...(found.get(key) ?? []), item]);
  }
  return [...found.values()].map((members) => group(members, axis, all, cases)).sort((a, b) => b.cases.length - a.cases.length);
}

function group(members: Case[], axis: string | null, all: Map<string, (string | number)[]>, cases: Case[]): Group {
  const varying = [...all].filter(([name, values]) => name !== axis && (values.length > 1 || cases.some((item) => !(name in item.parameters))));
  const first = members[0]!.parameters;
  const texts = varying.filter(([name]) => name in first).map(([name]) => parameterText(name, first[name]!));
  const methods = [...new Set(members.map((item) => item.method))];
  const rank = { baseline: 0, other: 1, own: 2 };
  const kinds = new Map(members.map((item) => [item.method, rank[item.kind]]));
  const cells = new Map(members.map((item) => [`${item.method}\n${axis === null ? "" : item.parameters[axis] ?? ""}`, item]));
  return {
    title: texts.join(", ") || "all cases",
    cases: members,
    methods: methods.sort((a, b) => kinds.get(a)! - kinds.get(b)! || (a < b ? -1 : 1)),
    columns: axis === null ? [""] : valuesOf(members).get(axis) ?? [""],
    at: (method, column) => cells.get(`${method}\n${column}`),
  };
}
