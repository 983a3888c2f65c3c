/**
 * A category names the part of a ref that a report is about, such as an image or a folder, where one scanner sends several
 * reports. With one, a report speaks for what that category found; without one, for everything on the ref.
 */
export interface Category {
  /** Absent: no report of it was taken in before. */
  id: number | undefined
}

/** As an occurrence keeps them: the ids of the categories whose newest reports have the finding. */
export const categoriesOf = (id: number | undefined): string => (id === undefined ? '' : `,${id},`)

export const isIn = ({ id }: Category, categories: string): boolean =>
  id !== undefined && categories.includes(categoriesOf(id))

/** Whether a finding is missing in a report that does not name it. */
export const speaksFor = (category: Category | undefined, categories: string): boolean =>
  !category || isIn(category, categories)

/** The same, and no report of another category has it. */
export const speaksAloneFor = (category: Category | undefined, categories: string): boolean =>
  speaksFor(category, categories) && (!category || categories === categoriesOf(category.id))
