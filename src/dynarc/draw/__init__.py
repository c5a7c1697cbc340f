"""Drawing dependency trees: one description of what is drawn, one layout, and several ways to show it.

`Drawing` says what is to be seen. `dynarc.draw.terminal` draws it with box characters, `dynarc.draw.svg` as a
picture, and `dynarc.draw.html` puts pictures and tables on a page that needs nothing else.
"""

from dynarc.draw.model import Drawable, Drawing, Mark

__all__ = ["Drawable", "Drawing", "Mark"]
