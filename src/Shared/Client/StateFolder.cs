namespace Millrace.Transfer;

/// <summary>Where Millrace keeps the user's data other than configuration: <c>$XDG_STATE_HOME/millrace</c>, or below the user's local data.</summary>
internal static class StateFolder
{
    /// <param name="name">What for.</param>
    public static string Of(string name)
    {
        string? state = Environment.GetEnvironmentVariable("XDG_STATE_HOME");
        if (string.IsNullOrEmpty(state))
        {
            string home = Environment.GetFolderPath(Environment.SpecialFolder.UserProfile);
            state = OperatingSystem.IsWindows() || home.Length == 0
                ? Environment.GetFolderPath(Environment.SpecialFolder.LocalApplicationData, Environment.SpecialFolderOption.DoNotVerify)
                : Path.Combine(home, ".local", "state");
        }

        return Path.Combine(state, "millrace", name);
    }
}
