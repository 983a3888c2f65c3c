/** Texts of the frame around all pages of a project, which every one of them loads. */
export const texts = {
  projectUnarchived: 'Project unarchived.',
  archived: 'Archived',
  thisProjectIsArchived: 'This project is archived and read-only.',
  unarchive: 'Unarchive',
  stars: 'Stars:',
  starred: 'Starred',
  star: 'Star',
  mirror: 'Mirror',
  sections: (name: string) => `${name}: sections`,
}
