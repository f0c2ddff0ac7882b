#pragma once

#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "isochor/base/file.h"
#include "isochor/run/image.h"
#include "tests/files/temporary_folder.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

namespace isochor::run {

/// A browser without a window that draws with the processor.
class Browser {
 public:
  /// Empty where no browser is installed.
  static std::string program() {
    for (const char* path :
         {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"}) {
      if (std::filesystem::exists(path)) return path;
    }
    return {};
  }

  std::vector<std::string> more_options;
  std::string messages;  ///< what pages wrote to the console in the last call

  /// The document after the page has run for a while.
  std::string document(const std::filesystem::path& page, const std::string& hash) {
    launch(page, hash, {"--dump-dom"});
    return read_text_file(folder_ / "out");
  }

  Image picture(const std::filesystem::path& page, const std::string& hash, int width, int height) {
    const std::filesystem::path file = folder_ / "picture.png";
    launch(page, hash,
           {"--screenshot=" + file.string(),
            "--window-size=" + std::to_string(width) + "," + std::to_string(height)});
    const std::vector<std::byte> png = read_file(file);
    int w = 0, h = 0, channels = 0;
    stbi_uc* pixels = stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(png.data()),
                                            static_cast<int>(png.size()), &w, &h, &channels, 3);
    Image image(w, h);
    std::copy_n(pixels, image.rgb.size(), image.rgb.begin());
    stbi_image_free(pixels);
    return image;
  }

 private:
  void launch(const std::filesystem::path& page, const std::string& hash,
              const std::vector<std::string>& mode) {
    std::vector<std::string> words{program(),
                                   "--headless",
                                   "--no-sandbox",
                                   "--user-data-dir=" + (folder_ / "profile").string(),
                                   "--no-first-run",
                                   "--hide-scrollbars",
                                   "--use-gl=angle",
                                   "--use-angle=swiftshader",
                                   "--enable-unsafe-swiftshader",
                                   "--virtual-time-budget=4000",
                                   "--enable-logging=stderr"};
    words.insert(words.end(), mode.begin(), mode.end());
    words.insert(words.end(), more_options.begin(), more_options.end());
    words.push_back("file://" + page.string() + "#" + hash);
    std::vector<char*> argv;
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    const std::string out = (folder_ / "out").string(), err = (folder_ / "err").string();
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 1);
      ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 2);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << read_text_file(err);
    keep_messages(read_text_file(err));
  }

  void keep_messages(const std::string& log) {
    messages.clear();
    for (std::size_t at = 0; (at = log.find("CONSOLE", at)) != std::string::npos; ++at) {
      messages += log.substr(at, log.find('\n', at) - at) + '\n';
    }
  }

  files::TemporaryFolder folder_;
};

}  // namespace isochor::run
