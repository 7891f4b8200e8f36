/** A parsed value takes up to fifty times its text, and somebody walks over each: so many are plenty for one request. */
export const mostValues = 200_000
