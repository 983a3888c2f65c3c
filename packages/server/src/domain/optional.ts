/** The same attributes, each of which may be absent. */
export type Optional<Attributes> = { [Name in keyof Attributes]?: Attributes[Name] | undefined }
