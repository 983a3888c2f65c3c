/** Output formats of `alcove upload`. */
export const formatNames = ['text', 'json', 'markdown', 'junit', 'codequality', 'annotations', 'sarif'] as const
export type FormatName = (typeof formatNames)[number]
