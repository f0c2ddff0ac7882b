#pragma once

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/base/error.h"

/// The input error that `action` throws; a test failure if it throws none.
inline isochor::Error failure_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const isochor::Error& error) {
    EXPECT_EQ(error.fault(), isochor::Fault::Input);
    EXPECT_FALSE(error.remedy().empty()) << error.what();
    return error;
  }
  ADD_FAILURE() << "no error was thrown";
  return {isochor::Fault::System, "", "", ""};
}
