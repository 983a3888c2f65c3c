import { GraphQLError } from 'graphql'

/** Returns GitLab's global id of a record: `gid://gitlab/Vulnerability/31`. */
export const globalId = (model: string, id: number | string): string => `gid://gitlab/${model}/${id}`

/** Returns the id of a record of this model. Throws GitLab's sentences for anything else. */
export function readGlobalId(model: string, written: unknown): number {
  const [, name, id] = /^gid:\/\/gitlab\/([A-Za-z:]{1,100})\/(\d{1,15})$/.exec(String(written)) ?? []
  const shown = JSON.stringify(String(written).slice(0, 200))
  if (name === undefined) throw new GraphQLError(`${shown} is not a valid Global ID`)
  if (name !== model) throw new GraphQLError(`${shown} does not represent an instance of ${model}`)
  return Number(id)
}
