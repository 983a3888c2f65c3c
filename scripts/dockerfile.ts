/** Instruction of a Dockerfile, with continued lines joined. */
export interface Instruction {
  name: string
  text: string
}

/** Splits a Dockerfile into its stages. Each begins with `FROM`. */
export function readStages(dockerfile: string): Instruction[][] {
  const lines = dockerfile.replace(/\\\n/g, ' ').split('\n')
  const stages: Instruction[][] = []
  for (const line of lines) {
    const [, name, text = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    if (!name) continue
    if (name === 'FROM') stages.push([])
    stages.at(-1)?.push({ name, text: text.trim() })
  }
  return stages
}

/** Returns the texts of all instructions of one kind. */
export function textsOf(stage: readonly Instruction[] | undefined, name: string): string[] {
  return (stage ?? []).filter((instruction) => instruction.name === name).map(({ text }) => text)
}
