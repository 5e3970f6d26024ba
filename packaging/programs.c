/* The two programs in one file: each has the whole Swift runtime in it, and a second copy would double the package. */

#include <string.h>

int geopublicist_main(int count, char **arguments);
int geopublicistd_main(int count, char **arguments);

/* The command under its own name, the daemon under every other one. */
int main(int count, char **arguments) {
  const char *path = count > 0 ? arguments[0] : "";
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  return strcmp(name, "geopublicist") == 0 ? geopublicist_main(count, arguments)
                                           : geopublicistd_main(count, arguments);
}
