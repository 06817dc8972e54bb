/**
 * The pages for operators, followed to the letter. One process follows all of them, because the package that they are about
 * takes longer to be made and installed than a page.
 */
import './setup.ts'
import './data.ts'
import './watching.ts'
import './names.ts'
