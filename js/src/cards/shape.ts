// Reads data from outside into the shape that a card draws; what does not fit is named by its field.

import { isObject } from "../protocol.js";

export type Wanted = "text" | "number" | "list" | "object" | "time" | "oneOf";

/** A field that is not what it should be. */
export class ShapeError extends Error {
  constructor(
    /** Where it is, such as `chartData[3].time`. */
    readonly path: string,
    readonly wanted: Wanted,
    /** The values that it may have, for `oneOf`. */
    readonly values: readonly string[] = [],
  ) {
    super(`${path} is no ${wanted}`);
  }
}

export type Read<T> = (value: unknown, path: string) => T;

export const text: Read<string> = (value, path) => {
  if (typeof value !== "string") throw new ShapeError(path, "text");
  return value;
};

export const number: Read<number> = (value, path) => {
  const read = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof read !== "number" || !Number.isFinite(read)) throw new ShapeError(path, "number");
  return read;
};

/** A quantity with all its digits: text as it is, a number written out. */
export const quantity: Read<string> = (value, path) => {
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  return text(value, path);
};

export function list<T>(item: Read<T>): Read<T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw new ShapeError(path, "list");
    return value.map((one, index) => item(one, `${path}[${index}]`));
  };
}

export function optional<T>(read: Read<T>): Read<T | null> {
  return (value, path) => (value === undefined || value === null ? null : read(value, path));
}

/** As `optional`, and null too where it does not fit: for what only adorns. */
export function lenient<T>(read: Read<T>): Read<T | null> {
  return (value, path) => {
    try {
      return optional(read)(value, path);
    } catch {
      return null;
    }
  };
}

export function oneOf<T extends string>(...values: T[]): Read<T> {
  return (value, path) => {
    const found = values.find((one) => one === value);
    if (found === undefined) throw new ShapeError(path, "oneOf", values);
    return found;
  };
}

export function object<T>(fields: { [K in keyof T]: Read<T[K]> }): Read<T> {
  return (value, path) => {
    const given = mapping(value, path);
    const made = {} as T;
    for (const name of Object.keys(fields) as (keyof T & string)[])
      made[name] = fields[name](given[name], path === "" ? name : `${path}.${name}`);
    return made;
  };
}

export const mapping: Read<Record<string, unknown>> = (value, path) => {
  if (!isObject(value)) throw new ShapeError(path === "" ? "data" : path, "object");
  return value;
};
