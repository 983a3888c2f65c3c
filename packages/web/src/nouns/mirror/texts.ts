/** Texts of the UI. */
export const texts = {
  itCanOnlyBeChanged: 'It can only be changed there.',
  vulnerabilitiesCanBeTriaged: 'Vulnerabilities can be triaged here. Everything else can only be changed there.',
  theNextCopyMay: 'The next copy may overwrite changes that are made here.',
  mirrorDetached: 'Mirror detached.',
  mirror: 'Mirror',
  thisIsAMirror: (kind: string, url: string, permitted: string) => `This ${kind} is a mirror of ${url}. ${permitted}`,
  detachMirror: 'Detach mirror',
  detachTheMirror: 'Detach the mirror?',
  andEverythingBelowIt: ' and everything below it',
  theCanBeChanged: (kind: string, kind2: string, url: string) =>
    `The ${kind}${kind2} can be changed here then, and is no longer copied from ${url}. An administrator can make it a mirror again.`,
}
