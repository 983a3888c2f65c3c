/** Thrown when another attempt has begun, or the import is gone with its project. */
export class Overtaken extends Error {}
