/** Thrown when another attempt has started, or the import was deleted with its project. */
export class Superseded extends Error {}
