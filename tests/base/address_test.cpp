#include "base/address.h"

#include <string>
#include <string_view>

#include <sys/socket.h>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

namespace vibe::base {
namespace {

struct AddressCase {
  const char* name;
  const char* address;
  bool is_public;
};

class Address : public testing::TestWithParam<AddressCase> {};

TEST_P(Address, IsPublicOrNot) { EXPECT_EQ(is_public(GetParam().address), GetParam().is_public); }

TEST_P(Address, IsTheSameAsASocketHasIt) {
  const std::string text = GetParam().address;
  sockaddr_in of4{};
  sockaddr_in6 of6{};
  const sockaddr* generic = reinterpret_cast<sockaddr*>(&of4);
  if (inet_pton(AF_INET, text.c_str(), &of4.sin_addr) == 1) {
    of4.sin_family = AF_INET;
  } else if (inet_pton(AF_INET6, text.c_str(), &of6.sin6_addr) == 1) {
    of6.sin6_family = AF_INET6;
    generic = reinterpret_cast<sockaddr*>(&of6);
  } else {
    return;  // no address
  }
  EXPECT_EQ(is_public(*generic), GetParam().is_public);
}

INSTANTIATE_TEST_SUITE_P(
    Four, Address,
    testing::Values(
        AddressCase{"this_host", "0.0.0.0", false}, AddressCase{"this_net", "0.255.255.255", false},
        AddressCase{"after_this_net", "1.0.0.0", true},
        AddressCase{"before_ten", "9.255.255.255", true}, AddressCase{"ten", "10.0.0.0", false},
        AddressCase{"ten_last", "10.255.255.255", false},
        AddressCase{"after_ten", "11.0.0.0", true},
        AddressCase{"before_carrier", "100.63.255.255", true},
        AddressCase{"carrier", "100.64.0.0", false},
        AddressCase{"carrier_last", "100.127.255.255", false},
        AddressCase{"after_carrier", "100.128.0.0", true},
        AddressCase{"before_loopback", "126.255.255.255", true},
        AddressCase{"loopback", "127.0.0.1", false},
        AddressCase{"loopback_last", "127.255.255.255", false},
        AddressCase{"after_loopback", "128.0.0.0", true},
        AddressCase{"before_link", "169.253.255.255", true},
        AddressCase{"link", "169.254.0.0", false},
        AddressCase{"cloud_metadata", "169.254.169.254", false},
        AddressCase{"after_link", "169.255.0.0", true},
        AddressCase{"before_private_12", "172.15.255.255", true},
        AddressCase{"private_12", "172.16.0.0", false},
        AddressCase{"private_12_last", "172.31.255.255", false},
        AddressCase{"after_private_12", "172.32.0.0", true},
        AddressCase{"protocols", "192.0.0.170", false}, AddressCase{"beside", "192.0.1.0", true},
        AddressCase{"examples_1", "192.0.2.1", false}, AddressCase{"relays", "192.88.99.1", false},
        AddressCase{"before_private_16", "192.167.255.255", true},
        AddressCase{"private_16", "192.168.0.1", false},
        AddressCase{"after_private_16", "192.169.0.0", true},
        AddressCase{"before_benchmarks", "198.17.255.255", true},
        AddressCase{"benchmarks", "198.18.0.0", false},
        AddressCase{"benchmarks_last", "198.19.255.255", false},
        AddressCase{"after_benchmarks", "198.20.0.0", true},
        AddressCase{"examples_2", "198.51.100.7", false},
        AddressCase{"examples_3", "203.0.113.7", false},
        AddressCase{"before_groups", "223.255.255.255", true},
        AddressCase{"groups", "224.0.0.1", false}, AddressCase{"groups_last", "239.1.1.1", false},
        AddressCase{"kept", "240.0.0.1", false}, AddressCase{"all", "255.255.255.255", false},
        AddressCase{"public_name_server", "8.8.8.8", true}),
    [](const auto& row) { return std::string(row.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Six, Address,
    testing::Values(
        AddressCase{"nobody", "::", false}, AddressCase{"loopback", "::1", false},
        AddressCase{"link", "fe80::1", false}, AddressCase{"link_last", "febf::1", false},
        AddressCase{"site", "fec0::1", false}, AddressCase{"local", "fc00::1", false},
        AddressCase{"local_last", "fdff::1", false}, AddressCase{"groups", "ff02::1", false},
        AddressCase{"discard", "100::1", false}, AddressCase{"before_global", "1fff::1", false},
        AddressCase{"global", "2606:4700:4700::1111", true},
        AddressCase{"after_global", "4000::1", false},
        AddressCase{"examples", "2001:db8::1", false}, AddressCase{"examples_2", "3fff::1", false},
        AddressCase{"benchmarks", "2001:2::1", false}, AddressCase{"keys", "2001:10::1", false},
        AddressCase{"keys_2", "2001:20::1", false}, AddressCase{"given", "2001:4860::8888", true},
        AddressCase{"compatible", "::127.0.0.1", false},
        AddressCase{"compatible_public", "::8.8.8.8", false},
        AddressCase{"mapped_loopback", "::ffff:127.0.0.1", false},
        AddressCase{"mapped_private", "::ffff:10.1.2.3", false},
        AddressCase{"mapped_public", "::ffff:8.8.8.8", true},
        AddressCase{"translated_private", "64:ff9b::c0a8:1", false},
        AddressCase{"translated_link", "64:ff9b::169.254.169.254", false},
        AddressCase{"translated_public", "64:ff9b::8.8.8.8", true},
        AddressCase{"translated_locally", "64:ff9b:1::8.8.8.8", false},
        AddressCase{"six_to_four_private", "2002:7f00:1::1", false},
        AddressCase{"six_to_four_public", "2002:808:808::1", true},
        AddressCase{"teredo_private_client", "2001:0:808:808::80ff:fffe", false},  // 127.0.0.1
        AddressCase{"teredo_private_server", "2001:0:a00:1::f7f7:f7f7", false},
        AddressCase{"teredo_public", "2001:0:808:808::f7f7:f7f7", true}),  // 8.8.8.8 twice
    [](const auto& row) { return std::string(row.param.name); });

INSTANTIATE_TEST_SUITE_P(None, Address,
                         testing::Values(AddressCase{"empty", "", false},
                                         AddressCase{"name", "example.org", false},
                                         AddressCase{"decimal", "134744072", false},
                                         AddressCase{"short_form", "8.8", false},
                                         AddressCase{"port", "8.8.8.8:80", false}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(AddressFamily, NoOtherIsPublic) {
  sockaddr_storage other{};
  other.ss_family = AF_UNIX;
  EXPECT_FALSE(is_public(*reinterpret_cast<sockaddr*>(&other)));
}

TEST(Loopback, IsThisMachineAlone) {
  for (const char* host : {"127.0.0.1", "127.255.0.3", "::1", "[::1]", "0:0:0:0:0:0:0:1",
                           "localhost", "LocalHost", "::ffff:127.0.0.1"})
    EXPECT_TRUE(is_loopback(host)) << host;
  for (const char* host : {"", "0.0.0.0", "::", "[::]", "10.0.0.1", "128.0.0.1", "::2", "fe80::1",
                           "localhost.example.org", "127.0.0.1.example.org", "127.1", "2130706433",
                           "::ffff:10.0.0.1", "[", "[]"})
    EXPECT_FALSE(is_loopback(host)) << host;
  EXPECT_FALSE(is_loopback(std::string_view("127.0.0.1\0.example.org", 22)));
}

}  // namespace
}  // namespace vibe::base
