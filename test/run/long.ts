/** Whether tests run in their long form, which takes minutes on a machine that has nothing else to do. */
export const isLong = process.env.WOLKE_TEST_LONG === '1'
